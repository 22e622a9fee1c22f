import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { member, members } from '../src/descriptor/located.js';
import { EXIT, parseOptions, printLine, runTool, UsageError } from './cli.js';
import { asUsageError } from './generator/file-errors.js';
import { isInRepository } from './generator/git.js';
import { DESCRIPTOR_FOLDER, loadDescriptors } from './generator/load/index.js';
import { baseNameOf, newDescriptor, whyNoTypeName } from './generator/new-descriptor.js';
import { command } from './invocation.js';
import { scaffold } from './scaffold.js';

const HELP = `
${command('new', 'NAME [--root DIR]')}

Writes capabilities/NAMEs.yaml: a commented descriptor of a new data type, which generates and
runs as it is. NAME is in PascalCase, for instance Invoice. A file that is there already is left
alone (exit code 2).

  --root DIR   the project's root; the current directory where not given
  --help       shows this
`;

await runTool('new', HELP, async (argv) => {
  const { values, positionals } = parseOptions(argv, {
    options: { root: { type: 'string', default: '.' } },
    allowPositionals: true,
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new UsageError(`it takes one name, for instance: ${command('new', 'Invoice')}`);
  const why = whyNoTypeName(name);
  if (why !== undefined)
    throw new UsageError(`no type can be named ${JSON.stringify(name)}: ${why}.`);

  const path = `${DESCRIPTOR_FOLDER}/${baseNameOf(name)}.yaml`;
  const root = resolve(values.root);
  await refuseExistingType(root, name);
  await create(root, path, newDescriptor(name));
  for (const file of await scaffolded(root)) printLine(`${file} is written.`);
  printLine(`${path} is written. Next: ${command('generate')}`);
  if (!isInRepository(root))
    printLine(
      'This folder is in no git repository. Run git init and commit what you generate: a ' +
        'migration is released when it is committed, and is never changed from then on.',
    );
  return EXIT.fine;
});

/** Types have one definition over all descriptors, in any letter case. */
async function refuseExistingType(root: string, name: string): Promise<void> {
  if (!existsSync(join(root, DESCRIPTOR_FOLDER))) return;
  const { descriptors } = await loadDescriptors(root);
  for (const { root: node } of descriptors)
    for (const type of members(member(node, 'types'))) {
      if (type.name.toLowerCase() !== name.toLowerCase()) continue;
      const { file, line, column } = type.nameAt;
      throw new UsageError(`${file}:${line}:${column} has the type ${type.name} already.`);
    }
}

async function scaffolded(root: string): Promise<readonly string[]> {
  try {
    return await scaffold(root);
  } catch (error) {
    throw asUsageError(error, root);
  }
}

/** Makes the folder of descriptors where there is none, but no project. */
async function create(root: string, path: string, text: string): Promise<void> {
  try {
    const folder = join(root, DESCRIPTOR_FOLDER);
    if (!existsSync(folder)) await mkdir(folder);
    await writeFile(join(root, path), text, { flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new UsageError(`${path} is there already; it was left alone.`);
    throw asUsageError(error, root);
  }
}
