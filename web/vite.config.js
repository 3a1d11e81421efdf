import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// One file: script and style lie in the page, so that it opens from disk without a server.
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: { target: "es2022", outDir: process.env.MECHANE_WEB_OUT ?? "dist", emptyOutDir: true, chunkSizeWarningLimit: 2000 },
});
