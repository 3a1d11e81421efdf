// Judges glTF and GLB files: node gltf_validator.js MODULE FILE... prints a JSON line for each.
const fs = require("fs");
const path = require("path");
const validator = require(process.argv[2]);
(async () => {
    for (const file of process.argv.slice(3)) {
        const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
            uri: path.basename(file),
            maxIssues: 200,
            externalResourceFunction: async (uri) => new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)))),
        });
        console.log(JSON.stringify({ file, issues: report.issues }));
    }
})();
