import { resolve } from 'node:path';
import { parseOptions, runTool } from './cli.js';

const HELP = `
npm run generate -- [options]

Makes generated/ and prisma/ from the descriptors in capabilities/. Nothing is written unless everything succeeds.

  --check      writes nothing; names every file that is missing, stale, edited by hand or orphaned (exit code 1)
  --dry-run    writes nothing; shows what would change as a unified diff
  --watch      generates whenever a descriptor changes, until Ctrl-C
  --root DIR   the project's root; the current directory where not given
  --help       shows this

Exit codes: 0 fine, 1 --check found something, 2 a descriptor or an option is wrong, 70 a defect of ours.
`;

await runTool('generate', HELP, async (argv) => {
  const { values } = parseOptions(argv, {
    options: {
      check: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      watch: { type: 'boolean', default: false },
      root: { type: 'string', default: '.' },
    },
  });
  // Only now: --help and a wrong option need none of it.
  const { generate } = await import('./generator/command.js');
  return generate({
    root: resolve(values.root),
    check: values.check,
    dryRun: values['dry-run'],
    watch: values.watch,
  });
});
