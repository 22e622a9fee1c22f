import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Runs tools of projects that are built, in this one process, as its parent asks for them: see
 * operator.ts. A request is `{ id, root, env, steps, goesOn }`, and its answer `{ id, results }`.
 * A step is [script, arguments]; a number among the arguments stands for the output of that step.
 */
const writeOut = process.stdout.write;
const writeError = process.stderr.write;
let entries = 0;
let last = Promise.resolve();

process.on('message', ({ id, ...request }) => {
  last = last.then(async () => process.send({ id, results: await runAll(request) }));
});
process.on('disconnect', () => process.exit());

async function runAll({ root, env, steps, goesOn }) {
  process.chdir(root);
  process.env = { ...env };
  const results = [];
  for (const [script, args] of steps) {
    const texts = args.map((argument) =>
      typeof argument === 'number' ? results[argument].stdout.trim() : argument,
    );
    const result = await run(join(root, 'dist', `${script}.js`), texts);
    results.push(result);
    if (result.code !== 0 && !goesOn) break;
  }
  return results;
}

async function run(file, args) {
  const printed = { stdout: '', stderr: '' };
  const into = (name) => (text) => {
    printed[name] += text;
    return true;
  };
  process.stdout.write = into('stdout');
  process.stderr.write = into('stderr');
  process.argv = [process.execPath, file, ...args];
  process.exitCode = undefined;
  entries += 1;
  try {
    // Another address for each: a module that was loaded before would not run again.
    await import(`${pathToFileURL(file).href}?entry=${entries}`);
    return { code: process.exitCode ?? 0, ...printed };
  } catch (error) {
    return { code: 1, stdout: '', stderr: `${printed.stderr}${error.stack}` };
  } finally {
    process.stdout.write = writeOut;
    process.stderr.write = writeError;
    process.stdout.removeAllListeners('error');
    process.exitCode = undefined;
  }
}
