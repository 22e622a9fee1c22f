import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * `node run-tools.mjs STEPS`: runs tools of the project in the working directory, built by the
 * server that runs there, one after another in this one process. Prints a JSON array of what each
 * wrote to standard output. STEPS is a JSON array of [script, arguments]; a number among
 * the arguments stands for the output of that step.
 */
const steps = JSON.parse(process.argv[2] ?? '[]');
const write = process.stdout.write.bind(process.stdout);
const outputs = [];
for (const [at, [script, args]] of steps.entries()) {
  const file = join(process.cwd(), 'dist', `${script}.js`);
  process.argv = [
    process.execPath,
    file,
    ...args.map((argument) => (typeof argument === 'number' ? outputs[argument] : argument)),
  ];
  let output = '';
  process.stdout.write = (text) => {
    output += text;
    return true;
  };
  // Another address for each step: a module that was loaded before would not run again.
  await import(`${pathToFileURL(file).href}?step=${at}`);
  process.stdout.write = write;
  process.stdout.removeAllListeners('error');
  outputs.push(output.trim());
  if (process.exitCode !== 0) {
    process.stderr.write(`${process.argv.slice(1).join(' ')} ended with ${process.exitCode}\n`);
    break;
  }
}
write(JSON.stringify(outputs));
