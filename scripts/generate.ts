import { resolve } from 'node:path';
import { endProcess, parseOptions, runTool, UsageError } from './cli.js';
import { isFormat } from './generator/report/index.js';
import { command } from './invocation.js';

const HELP = `
${command('generate', '[options]')}

Makes generated/ and prisma/ from the descriptors in capabilities/. Nothing is written unless
everything succeeds.

  --check      writes nothing; says which files are missing, stale, edited by hand or orphaned
               (exit code 1). Of many files that are stale it names three; --format json names all
  --dry-run    writes nothing; shows what would change as a unified diff
  --watch      generates whenever a descriptor changes, until Ctrl-C
  --contract   writes a migration, even where nothing changed, that takes away what the last one
               left on PostgreSQL for the previous version (docs/reference/evolution.md)
  --client DIR writes the typed client to DIR as well: the repository of a front-end, for instance.
               The folder has no other files. --check and --dry-run look there, too
  --format F   how problems are told: text (the default), json (an array, on stdout) or github
               (workflow commands, on stdout)
  --max-warnings N
               with more than N warnings nothing is written (exit code 1)
  --root DIR   the project's root; the current directory where not given
  --help       shows this

Exit codes: 0 fine, 1 --check or --max-warnings found something, 2 a descriptor or an option is
wrong, 70 a defect of ours.
`;

await runTool('generate', HELP, async (argv) => {
  const { values } = parseOptions(argv, {
    options: {
      check: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      contract: { type: 'boolean', default: false },
      watch: { type: 'boolean', default: false },
      client: { type: 'string' },
      format: { type: 'string', default: 'text' },
      'max-warnings': { type: 'string' },
      root: { type: 'string', default: '.' },
    },
  });
  const { format } = values;
  if (!isFormat(format))
    throw new UsageError(`--format is text, json or github, not ${JSON.stringify(format)}.`);
  // Only now: --help and a wrong option need none of it.
  const { generate } = await import('./generator/command.js');
  return generate({
    root: resolve(values.root),
    check: values.check,
    dryRun: values['dry-run'],
    watch: values.watch,
    contract: values.contract,
    ...(values.client === undefined ? {} : { client: values.client }),
    format,
    ...maxWarnings(values['max-warnings']),
  });
});
// json-schema-to-typescript has begun to load Prettier, which nothing here uses.
endProcess();

function maxWarnings(text: string | undefined): { readonly maxWarnings?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`--max-warnings takes a number from 0, not ${JSON.stringify(text)}.`);
  return { maxWarnings: Number(text) };
}
