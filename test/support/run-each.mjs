import { pathToFileURL } from 'node:url';

/**
 * `node run-each.mjs FILE CALLS`: runs a tool in this one process for each list of arguments in the
 * JSON array CALLS, and prints `{ code, stdout, stderr }` of each as a JSON array. A process for
 * each call costs half a second.
 */
const [file = '', calls = '[]'] = process.argv.slice(2);
const results = [];
const print = process.stdout.write.bind(process.stdout);
for (const [at, args] of JSON.parse(calls).entries()) {
  const result = { code: 0, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    process[name].write = (text) => {
      result[name] += text;
      return true;
    };
  process.argv = [process.execPath, file, ...args];
  process.exitCode = 0;
  // Another address for each call: a module that was loaded before would not run again.
  await import(`${pathToFileURL(file).href}?call=${at}`);
  result.code = process.exitCode;
  results.push(result);
  process.stdout.removeAllListeners('error');
}
process.exitCode = 0;
print(JSON.stringify(results));
