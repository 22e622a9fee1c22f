import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './poll.js';
import { copyProject } from './project.js';
import { ROOT } from './server.js';

/** The names of the descriptors in examples/, sorted. */
export const EXAMPLES: readonly string[] = readdirSync(join(ROOT, 'examples'))
  .flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -'.yaml'.length)] : []))
  .sort();

/** What the shared copy has beside the project's own descriptors. */
export const DESCRIPTORS: readonly string[] = [
  join(ROOT, 'test/conformance/gadget.yaml'),
  join(ROOT, 'test/hooks/ledger.yaml'),
  join(ROOT, 'test/hooks/machines.yaml'),
  join(ROOT, 'test/evolution/shelf.yaml'),
  ...EXAMPLES.map((name) => join(ROOT, 'examples', `${name}.yaml`)),
];

/** Set by the global setup: the folder of this run, removed at its end. */
export const RUN_FOLDER = 'JMAPSMITH_TEST_RUN';

/** Long enough for a slow machine; nothing measures it. */
const PATIENCE = 280_000;

/**
 * The root of one copy of the project with the descriptors of the suite and of examples/, generated and built once
 * for all files of a run: whoever comes first makes it, the others wait. Tests serve it and change nothing in it.
 */
export async function sharedProject(): Promise<string> {
  const run = process.env[RUN_FOLDER];
  if (run === undefined) throw new Error('The global setup of the tests did not run.');
  const done = join(run, 'done.json');
  const isFirst = await mkdir(join(run, 'building')).then(
    () => true,
    () => false,
  );
  if (isFirst) await writeFile(done, JSON.stringify(await make(run)));
  const read = async () =>
    JSON.parse(await readFile(done, 'utf8')) as { root: string; error: string };
  const { root, error } = await eventually(read, PATIENCE);
  if (error !== '') throw new Error(error);
  return root;
}

async function make(run: string): Promise<{ root: string; error: string }> {
  try {
    const project = await copyProject(DESCRIPTORS, { folder: join(run, 'project') });
    // Here, where it may take its time: a server has to be up within a minute.
    const { code, stdout, stderr } = await project.npm('build');
    if (code !== 0) throw new Error(`npm run build ended with ${code}:\n${stdout}\n${stderr}`);
    return { root: project.root, error: '' };
  } catch (error) {
    return { root: '', error: String(error) };
  }
}
