import { resolve } from 'node:path';
import { parseOptions, runTool, UsageError } from './cli.js';
import { command } from './invocation.js';

const HELP = `
${command('describe', '[NAME] [--format json] [--root DIR]')}

What a type offers: properties with their bounds, methods, filters, sorts, limits, and where in a
descriptor each comes from. NAME is a type, or a capability for all of its types; without one, the
types are listed.

  --format F   text (the default) or json
  --root DIR   the project's root; the current directory where not given
  --help       shows this

Exit codes: 0 fine, 2 the name, a descriptor or an option is wrong, 70 a defect of ours.
`;

await runTool('describe', HELP, async (argv) => {
  const { values, positionals } = parseOptions(argv, {
    options: {
      format: { type: 'string', default: 'text' },
      root: { type: 'string', default: '.' },
    },
    allowPositionals: true,
  });
  const { format } = values;
  if (format !== 'text' && format !== 'json')
    throw new UsageError(`--format is text or json, not ${JSON.stringify(format)}.`);
  if (positionals.length > 1)
    throw new UsageError(`it takes one name, for instance: ${command('describe', 'Todo')}`);
  const { describeType } = await import('./generator/describe.js');
  return describeType({ root: resolve(values.root), name: positionals[0], format });
});
