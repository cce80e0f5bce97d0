// Build the console and the report into the Python packages that serve them. The same sources give the same bytes.
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const WEB = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(WEB);

/** Each bundle: its entry, the folder of the built files, and the page that loads them. */
const BUNDLES = [
  { name: "console", folder: "service/console", page: ["src/console/index.html", "index.html"] },
  { name: "report", folder: "evaluation/report/assets", page: ["src/report/report.html", "report.html"] },
];

for (const { name, folder, page } of BUNDLES) {
  const out = join(ROOT, folder);
  await mkdir(out, { recursive: true });
  await build({
    absWorkingDir: WEB,
    entryPoints: { [name]: `src/${name}/main.tsx` },
    outdir: out,
    bundle: true,
    // The report opens by file://, where browsers load no modules.
    format: "iife",
    target: ["es2022", "chrome123", "firefox128", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    lineLimit: 160,
    legalComments: "inline",
    charset: "ascii",
    sourcemap: false,
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
  });
  await copyFile(join(WEB, page[0]), join(out, page[1]));
}
