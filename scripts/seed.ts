import { parseOptions, printLine, runTool, UsageError } from './cli.js';
import { command } from './invocation.js';
import { readSeed } from './seed/read.js';
import { sow } from './seed/sow.js';

const HELP = `
Usage: ${command('seed', 'FILE [--url URL]')}

Creates the accounts and objects that FILE (YAML or JSON) describes, through the engine: with its
rules, references and hooks. FILE names accounts, in them types, and in these creation ids:

  Ann's shop:
    user: ann
    objects:
      Customer:
        c1: { name: Carl }
      Order:
        o1: { text: Tea, customerId: '#c1' }

An account is found by its name, or made for its user (without one: owner). '#c1' stands for the id
of an object that stands earlier in the file. DATA_DIR/seed.json keeps which object each creation id
has become: a second run updates these where FILE says something else, creates what is new or was
destroyed, and destroys nothing.

  --url URL   has a server that runs do it. A server on SQLite has the database for itself alone

Exit codes: 0 fine, 2 the file, an object or the environment is wrong (what could be written is),
70 a defect.
`;

await runTool('seed', HELP, async (argv) => {
  const { values, positionals } = parseOptions(argv, {
    options: { url: { type: 'string' } },
    allowPositionals: true,
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0)
    throw new UsageError('it takes one file (--help shows what stands in it).');
  const { url } = values;
  if (url !== undefined && !/^https?:/.test(URL.canParse(url) ? url : ''))
    throw new UsageError(`--url takes an http or https URL, not ${JSON.stringify(url)}.`);
  const counts = await sow(readSeed(file), url);
  const { created, updated, unchanged } = counts;
  printLine(`${created} created, ${updated} updated, ${unchanged} unchanged.`);
  return counts.isWhole ? 0 : 2;
});
