import { resolve } from 'node:path';
import { EXIT, parseOptions, printLine, runTool, UsageError } from './cli.js';
import { columns } from './columns.js';
import { atCommit } from './generator/breaking/at-commit.js';
import { compareModels } from './generator/breaking/compare.js';
import { newConversions, withConversions } from './generator/breaking/conversions.js';
import { readModel } from './generator/breaking/read-model.js';
import { asUsageError } from './generator/file-errors.js';
import { command } from './invocation.js';

const HELP = `
${command('breaking', '--against REF [options]')}

Compares the descriptors in capabilities/ with those of a commit, tag or branch. Tells each change:
whether it is one of the wire, of storage or of synchronisation, and whether it breaks clients or
loses data.

  --against REF   what to compare with, for instance main or v1.2.0
  --format FORM   text (the default) or json: a list of { layer, breaking, where, what }
  --root DIR      the project's root; the current directory where not given
  --help          shows this

Exit codes: 0 nothing breaks, 1 something does, 2 REF or a descriptor is wrong, 70 a defect.
`;

await runTool('breaking', HELP, async (argv) => {
  const { values } = parseOptions(argv, {
    options: {
      against: { type: 'string' },
      format: { type: 'string', default: 'text' },
      root: { type: 'string', default: '.' },
    },
  });
  const { against, format } = values;
  if (against === undefined)
    throw new UsageError(
      `it needs --against REF, for instance: ${command('breaking', '--against main')}`,
    );
  if (format !== 'text' && format !== 'json')
    throw new UsageError(`--format ${format}: it is text or json.`);
  const root = resolve(values.root);
  try {
    const before = await atCommit(root, against, (folder) => readModel(folder, against));
    const files = await newConversions(root, against);
    const changes = withConversions(compareModels(before, await readModel(root)), files);
    const broken = changes.filter(({ breaking }) => breaking).length;
    if (format === 'json') printLine(JSON.stringify(changes, null, 2));
    else {
      const rows = changes.map(({ layer, breaking, where, what }) => [
        breaking ? 'breaking' : 'fine',
        layer,
        where,
        what,
      ]);
      for (const line of columns(rows)) printLine(line);
      printLine(`${changes.length} changes since ${against}, ${broken} of them breaking.`);
    }
    return broken > 0 ? EXIT.found : EXIT.fine;
  } catch (error) {
    throw asUsageError(error, root);
  }
});
