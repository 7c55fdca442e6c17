// node first_brief.mjs RUNTIME SITE CELLS: starts Python as the edition's worker does, with the settings of the
// built SITE, and runs the cells (a JSON list of sources) to the first brief. Prints the CPU seconds of each
// phase and the megabytes of what was read, as JSON.
// RUNTIME: the folder of the npm package pyodide, for what only node needs of it.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, site, cells] = process.argv.slice(2).map((name) => path.resolve(name));
const shipped = path.join(site, "static", "pyodide");
const extension = path.join(site, "extensions", "@jupyterlite", "pyodide-kernel-extension", "static", "pypi");
const page = JSON.parse(fs.readFileSync(path.join(site, "jupyter-lite.json"), "utf-8"))["jupyter-config-data"];
const options = page.litePluginSettings["@jupyterlite/pyodide-kernel-extension:kernel"].loadPyodideOptions;
const named = options.packages ?? [];
const seconds = {};
let since = process.cpuUsage();

function ended(phase) {
  const used = process.cpuUsage(since);
  seconds[phase] = (used.user + used.system) / 1e6;
  since = process.cpuUsage();
}

for (const name of fs.readdirSync(runtime)) {
  // what the site does not ship, such as package.json, is only read by node
  const target = path.join(shipped, name);
  if (!fs.existsSync(target) && name === "package.json") fs.copyFileSync(path.join(runtime, name), target);
}
const { loadPyodide } = await import(pathToFileURL(path.join(shipped, "pyodide.mjs")));
const pyodide = await loadPyodide({
  indexURL: shipped + path.sep,
  stdout: () => {},
  ...options,
  lockFileURL: path.join(shipped, "pyodide-lock.json"),
});
ended("loadPyodide");
const wheels = fs.readdirSync(extension).filter((name) => name.endsWith(".whl"));
const small = (name) => path.join(extension, wheels.find((wheel) => wheel.startsWith(`${name}-`)));
if (!named.includes("piplite")) {
  await pyodide.loadPackage("micropip");
  await pyodide.loadPackage(small("piplite"));
}
await pyodide.runPythonAsync("import piplite.piplite");
ended("package manager");
const missing = ["ipykernel", "comm", "pyodide-kernel", "jedi", "ipython"].filter((name) => !named.includes(name));
const ours = ["ipykernel", "pyodide-kernel"].filter((name) => missing.includes(name));
await pyodide.loadPackage(missing.filter((name) => !ours.includes(name)));
for (const name of ours) await pyodide.loadPackage(small(name.replace("-", "_")));
ended("packages of the kernel");
await pyodide.runPythonAsync("import pyodide_kernel");
ended("import of the kernel");
const kernel = pyodide.globals.get("pyodide_kernel").kernel_instance;
const out = [];
const said = (name, text) => out.push(text);
const shown = (data) => out.push(JSON.stringify(data.toJs ? data.toJs() : data));
pyodide.globals.get("pyodide_kernel").stdout_stream.publish_stream_callback = said;
pyodide.globals.get("pyodide_kernel").stderr_stream.publish_stream_callback = said;
kernel.interpreter.display_pub.display_data_callback = shown;
kernel.interpreter.display_pub.update_display_data_callback = shown;
kernel.interpreter.displayhook.publish_execution_result = (count, data) => shown(data);
kernel.interpreter.send_comm = () => {};
kernel._parent_header = pyodide.toPy({ header: {} });
let first = true;
for (const source of JSON.parse(fs.readFileSync(cells, "utf-8"))) {
  const result = (await kernel.run(source)).toJs();
  if (String(result.get ? result.get("status") : result.status) === "error") {
    console.error(String(result.get ? result.get("evalue") : result.evalue));
    process.exit(1);
  }
  if (first) ended("first cell: packages and imports");
  first = false;
}
ended("to the brief");
const total = Object.values(seconds).reduce((sum, part) => sum + part, 0);
const heap = pyodide._module.HEAPU8.length / 1e6;
console.log(JSON.stringify({ seconds, total, heap, brief: out.join("").includes("[mcp-") }));
process.exit(0);
