// Steps a built-in scene of single bodies with Bullet (bench/step_peers.py), on one thread.
// usage: bench_step_bullet SCENE DT STEPS
// Bullet's defaults but for sleeping, which is off: ten iterations of its sequential impulse solver, split impulses,
// margins as its shapes have them. Prints a line of JSON; contacts are looked at between the steps, untimed.
#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "mechane/run/builtin_scenes.h"

using namespace mechane;

namespace {

btScalar     scalar(double x) { return static_cast<btScalar>(x); }
btVector3    vector(const Vec3d& v) { return {scalar(v.x), scalar(v.y), scalar(v.z)}; }
btQuaternion quaternion(const Quatd& q) { return {scalar(q.x), scalar(q.y), scalar(q.z), scalar(q.w)}; }
btTransform  transform(const Posed& X) { return btTransform(quaternion(X.q), vector(X.p)); }

[[noreturn]] void refuse(const char* what)
{
    std::fprintf(stderr, "the scene has %s, which this program does not know\n", what);
    std::exit(2);
}

class Scene {
  public:
    explicit Scene(const model::ModelBuilder& b)
    {
        for (const auto& joint : b.joints)
            if (joint.type != model::JointType::free) refuse("joints");
        world_.setGravity({0, 0, scalar(-9.81)});
        for (const auto& shape : b.shapes)
            if (shape.body < 0) add(0, {}, shape.xform, fixed(shape), shape.config);
        for (const auto& body : b.bodies) {
            if (body.shapes.size() != 1) refuse("bodies of several shapes");
            const Mat33d& I = body.inertia;
            if (std::abs(I(0, 1)) + std::abs(I(0, 2)) + std::abs(I(1, 2)) > 1e-6 * trace(I)) refuse("turned inertias");
            const auto& shape = b.shapes[static_cast<std::size_t>(body.shapes[0])];
            // Bullet's bodies have their origin at the centre of mass.
            add(body.mass, {I(0, 0), I(1, 1), I(2, 2)}, body.q * Posed{body.com, {}}, moving(shape, body.com),
                shape.config);
        }
    }

    void step(double dt) { world_.stepSimulation(scalar(dt), 0); }
    /// Adds the contacts of now.
    void look(std::int64_t& count, double& deepest)
    {
        for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
            const btPersistentManifold* found = dispatcher_.getManifoldByIndexInternal(i);
            for (int k = 0; k < found->getNumContacts(); ++k) {
                ++count;
                deepest = std::max(deepest, -static_cast<double>(found->getContactPoint(k).getDistance()));
            }
        }
    }

  private:
    std::unique_ptr<btCollisionShape> fixed(const model::BuilderShape& shape)
    {
        if (shape.type == model::GeoType::plane)
            return std::make_unique<btStaticPlaneShape>(btVector3{0, 0, 1}, scalar(0));
        if (shape.type != model::GeoType::mesh) return moving(shape, {});
        auto& triangles = *meshes_.emplace_back(std::make_unique<btTriangleMesh>());
        for (const auto& t : shape.source->triangles) {
            const auto corner = [&](std::size_t k) {
                return vector(scale(shape.scale, shape.source->points[static_cast<std::size_t>(t[k])]));
            };
            triangles.addTriangle(corner(0), corner(1), corner(2));
        }
        return std::make_unique<btBvhTriangleMeshShape>(&triangles, true);
    }
    static std::unique_ptr<btCollisionShape> moving(const model::BuilderShape& shape, const Vec3d& com)
    {
        if (shape.type == model::GeoType::mesh || shape.type == model::GeoType::convex_mesh) {
            auto hull = std::make_unique<btConvexHullShape>();
            for (const Vec3d& p : shape.source->points)
                hull->addPoint(vector(shape.xform * scale(shape.scale, p) - com), false);
            hull->recalcLocalAabb();
            return hull;
        }
        if (!(shape.xform.p == com) || std::abs(shape.xform.q.w) < 1 - 1e-12) refuse("shapes away from the body");
        const Vec3d& size = shape.scale;
        if (shape.type == model::GeoType::box) return std::make_unique<btBoxShape>(vector(size));
        if (shape.type == model::GeoType::sphere) return std::make_unique<btSphereShape>(scalar(size.x));
        if (shape.type == model::GeoType::capsule)
            return std::make_unique<btCapsuleShapeZ>(scalar(size.x), scalar(2 * size.y));
        refuse("a shape");
    }
    void add(double mass, const Vec3d& inertia, const Posed& at, std::unique_ptr<btCollisionShape> shape,
             const model::ShapeConfig& material)
    {
        btRigidBody::btRigidBodyConstructionInfo info(scalar(mass), nullptr, shape.get(), vector(inertia));
        info.m_startWorldTransform = transform(at);
        // It multiplies what ours averages; all shapes of a scene have the same.
        info.m_friction    = scalar(std::sqrt(material.mu));
        info.m_restitution = scalar(std::sqrt(material.restitution));
        auto& body         = *bodies_.emplace_back(std::make_unique<btRigidBody>(info));
        body.setActivationState(DISABLE_DEACTIVATION);
        world_.addRigidBody(&body);
        shapes_.push_back(std::move(shape));
    }

    btDefaultCollisionConfiguration                configuration_;
    btCollisionDispatcher                          dispatcher_{&configuration_};
    btDbvtBroadphase                               broad_;
    btSequentialImpulseConstraintSolver            solver_;
    std::vector<std::unique_ptr<btTriangleMesh>>   meshes_;
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    std::vector<std::unique_ptr<btRigidBody>>      bodies_;
    btDiscreteDynamicsWorld                        world_{&dispatcher_, &broad_, &solver_, &configuration_};
};

}  // namespace

int main(int argc, char** argv)
{
    const auto   scene = run::builtin_scene(argc > 1 ? argv[1] : "");
    const double dt    = argc == 4 ? std::atof(argv[2]) : 0;
    const int    steps = argc == 4 ? std::atoi(argv[3]) : 0;
    if (!scene || !(dt > 0) || steps <= 0) {
        std::fprintf(stderr, "usage: bench_step_bullet SCENE DT STEPS\n");
        return 2;
    }
    Scene        world(*scene);
    std::int64_t contacts = 0;
    double       deepest = 0, spent = 0;
    for (int i = 0; i < steps; ++i) {
        const auto start = std::chrono::steady_clock::now();
        world.step(dt);
        spent += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        world.look(contacts, deepest);
    }
    fmt::print("{{\"steps_per_s\": {}, \"contacts_mean\": {}, \"deepest_penetration\": {}}}\n", steps / spent,
               static_cast<double>(contacts) / steps, deepest);
    return 0;
}
