// The graph of frames: names by scope, poses relative to any frame, the link that a frame moves with.
//
// relative  the node that a node's pose is told in; -1: the world
// attached  the node that a node moves with; following it ends at a link or at the world
// placed    the frame within a model that the model's pose is about
// state     0 not computed, 1 on the way, 2 known
#include <fmt/format.h>

#include <algorithm>

#include "mechane/core/nearest.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/sdformat/reader.h"

namespace mechane::sourceformats {

int SdformatReader::add_node(Node node)
{
    nodes_.push_back(std::move(node));
    return static_cast<int>(nodes_.size()) - 1;
}

int SdformatReader::lookup(int scope, const std::string& name) const
{
    // "a::b" is the frame b of the nested model a; the parts are looked up from the outside in.
    const std::size_t mark = name.find("::");
    const std::string head = name.substr(0, mark);
    const Scope&      in   = scopes_[at(scope)];
    if (mark == std::string::npos) {
        if (const auto n = in.names.find(name); n != in.names.end()) return n->second;
    } else if (const auto n = in.scopes.find(head); n != in.scopes.end()) {
        if (const int found = lookup(n->second, name.substr(mark + 2)); found >= 0) return found;
    }
    // Merged models pour their names into this scope; their own frame is not among these.
    for (const int m : in.merged)
        if (const int found = lookup(m, name); found >= 0 && found != scopes_[at(m)].model) return found;
    return -1;
}

int SdformatReader::frame_named(int scope, const std::string& name, const XmlElement& at_element, bool* world)
{
    if (world != nullptr) *world = false;
    int found = lookup(scope, name);
    // What is merged into a model knows that model's names.
    for (int up = scope; found < 0 && up > 0; up = scopes_[at(up)].parent) {
        const auto& merged = scopes_[at(scopes_[at(up)].parent)].merged;
        if (std::find(merged.begin(), merged.end(), up) == merged.end()) break;
        found = lookup(scopes_[at(up)].parent, name);
    }
    if (found >= 0) return found;
    // "__root__" is the outermost frame, which is the world here.
    if (name == "world" || name == "__root__") {
        if (world != nullptr) *world = true;
        // -1 with `world` set is the world, without it an unknown name, which was told.
        return -1;
    }
    std::vector<std::string> names;
    for (const auto& [n, index] : scopes_[at(scope)].names) names.push_back(n);
    s_.error(kUnknownName, at_element.place, fmt::format("there is no frame '{}' here", name),
             did_you_mean(name, names));
    return -1;
}

void SdformatReader::set_pose(int node, int scope, const Pose& p, int otherwise)
{
    nodes_[at(node)].X = p.X;
    // A pose without a frame is relative to `otherwise`: the model, or the link that holds the element.
    nodes_[at(node)].relative = otherwise;
    if (p.relative.empty()) return;
    bool      world = false;
    const int found = frame_named(scope, p.relative, *p.element, &world);
    if (found >= 0 || world) nodes_[at(node)].relative = found;
}

void SdformatReader::finish_names()
{
    // Models first: poses of what they hold are relative to their frames.
    for (const ModelPose& m : model_poses_) {
        Scope& own = scopes_[at(m.scope)];
        Pose   p;
        if (m.include_pose != nullptr) {
            // The pose of an <include> replaces that of the model's own file.
            if (const XmlElement* unread = m.e->child("pose")) unread->use_all();
            XmlElement holder;  // so that the pose of the include is read as one
            holder.children.push_back(*m.include_pose);
            p         = pose(holder);
            p.element = m.include_pose;
            m.include_pose->use_all();
        } else {
            p = pose(*m.e);
        }
        set_pose(m.node, m.above, p, scopes_[at(m.above)].model);
        if (!m.canonical.empty())
            if (const int c = frame_named(m.scope, m.canonical, *m.e); c >= 0) own.canonical = c;
        // With a placement frame the pose is that of this frame, and the model stands where the frame then lies right.
        if (!m.placement.empty()) nodes_[at(m.node)].placed = frame_named(m.scope, m.placement, *m.e);
    }
    // A model without links of its own stands on the first of what is nested in it.
    // From the inside out, so that a nested model's canonical link is known before it is asked for.
    for (std::size_t i = scopes_.size(); i-- > 1;) {
        Scope& s = scopes_[i];
        if (s.canonical < 0)
            for (const auto& [name, nested] : s.scopes)
                if (scopes_[at(nested)].canonical >= 0) {
                    s.canonical = scopes_[at(nested)].canonical;
                    break;
                }
        nodes_[at(s.model)].attached = s.canonical;
    }
    for (std::size_t i = 0; i < scopes_.size(); ++i)
        for (const auto& [name, node] : scopes_[i].names) {
            const Node& n = nodes_[at(node)];
            if (!n.is_link) continue;
            set_pose(node, static_cast<int>(i), pose(*n.element), scopes_[i].model);
        }
    for (const PendingThing& f : frames_) {
        const std::string to = f.e->get("attached_to");
        int               on = scopes_[at(f.scope)].model;
        if (!to.empty()) {
            bool      world = false;
            const int found = frame_named(f.scope, to, *f.e, &world);
            if (found >= 0 || world) on = found;
        }
        nodes_[at(f.node)].attached = on;
        set_pose(f.node, f.scope, pose(*f.e), on);
    }
    for (const PendingJoint& j : joints_) {
        const auto child = text(*j.e, "child");
        int        on    = -1;
        // Sensors may stand in joints as well; their nodes know what they are in.
        // A joint is attached to its child, and its pose is relative to it.
        if (child) on = frame_named(j.scope, *child, *j.e->child("child"));
        nodes_[at(j.node)].attached = on;
        set_pose(j.node, j.scope, pose(*j.e), on);
    }
    for (const PendingShape& s : shapes_) set_pose(s.node, s.scope, pose(*s.e), s.link_node);
    for (const auto* list : {&pending_lights_, &sensors_})
        for (const PendingThing& t : *list)
            if (t.node >= 0) set_pose(t.node, t.scope, pose(*t.e), nodes_[at(t.node)].relative);
}

const Posed& SdformatReader::pose_of(int index)
{
    static const Posed kNone;
    if (index < 0) return kNone;
    if (nodes_[at(index)].state == 2) return nodes_[at(index)].X_W;
    // Down to what is known, without calling itself: graphs may be long.
    std::vector<int> chain;
    for (int n = index; n >= 0 && nodes_[at(n)].state == 0; n = nodes_[at(n)].relative) {
        nodes_[at(n)].state = 1;
        chain.push_back(n);
        if (const int next = nodes_[at(n)].relative; next >= 0 && nodes_[at(next)].state == 1) {
            s_.error(kFrames, nodes_[at(n)].element->place,
                     fmt::format("the pose of '{}' is told relative to itself, by way of '{}'", nodes_[at(n)].name,
                                 nodes_[at(next)].name));
            // The circle is cut at this node, so that all others get a pose.
            nodes_[at(n)].relative = -1;
        }
    }
    // Back up the chain: X_W of a node is that of the frame it is relative to, times its own pose.
    for (std::size_t i = chain.size(); i-- > 0;) {
        Node& n = nodes_[at(chain[i])];
        Posed X = n.X;
        if (n.placed >= 0) {  // the pose is that of a frame in the model
            // X_MF: the frame in the model, composed upwards from the frame to the model.
            Posed inside;
            int   up = n.placed, steps = 0;
            for (; up >= 0 && up != chain[i] && steps <= static_cast<int>(nodes_.size());
                 up = nodes_[at(up)].relative, ++steps)
                inside = nodes_[at(up)].X * inside;
            if (up == chain[i])
                // X_WM = X_WF X_MF^-1.
                X = X * inverse(inside);
            else
                s_.error(kFrames, n.element->place,
                         fmt::format("the placement frame of '{}' does not stand in the model", n.name));
        }
        n.X_W = (n.relative >= 0 ? nodes_[at(n.relative)].X_W : Posed{}) * X;
        // Products of many rotations drift from unit length.
        n.X_W.q = normalized(n.X_W.q);
        if (!is_finite(n.X_W)) {
            s_.error(kNumber, n.element != nullptr ? n.element->place : tree_.place,
                     fmt::format("the pose of '{}' is not finite", n.name));
            n.X_W = {};
        }
        n.state = 2;
    }
    return nodes_[at(index)].X_W;
}

/// The link that a node moves with: -1 for the world, -3 where the attachments form a circle.
int SdformatReader::link_of(int index, const XmlElement& e)
{
    for (std::size_t steps = 0; index >= 0 && steps <= nodes_.size(); ++steps) {
        const Node& n = nodes_[at(index)];
        if (n.is_link) return n.link == -2 ? -1 : n.link;
        if (n.is_static) return -1;
        if (n.attached == index) break;
        index = n.attached;
    }
    if (index < 0) return -1;
    s_.error(kFrames, e.place, fmt::format("'{}' is attached to itself", nodes_[at(index)].name));
    return -3;
}

Posed SdformatReader::below(int link, int node)
{ return (link >= 0 ? inverse(tree_.links[at(link)].X_WL) : Posed{}) * pose_of(node); }

}  // namespace mechane::sourceformats
