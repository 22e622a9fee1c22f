import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onceInRun } from './once-in-run.js';
import { copyProject } from './project.js';
import { ROOT } from './server.js';

/** The names of the descriptors in examples/, sorted. */
export const EXAMPLES: readonly string[] = readdirSync(join(ROOT, 'examples'))
  .flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -'.yaml'.length)] : []))
  .sort();

/** The descriptors of the shared copy beside the project's own ones. */
export const DESCRIPTORS: readonly string[] = [
  join(ROOT, 'test/conformance/gadget.yaml'),
  join(ROOT, 'test/hooks/invoices.yaml'),
  join(ROOT, 'test/hooks/ledger.yaml'),
  join(ROOT, 'test/hooks/missives.yaml'),
  join(ROOT, 'test/hooks/machines.yaml'),
  join(ROOT, 'test/evolution/shelf.yaml'),
  join(ROOT, 'test/values/party.yaml'),
  join(ROOT, 'test/language/deals.yaml'),
  join(ROOT, 'test/language/messages.yaml'),
  join(ROOT, 'test/shapes/folders.yaml'),
  join(ROOT, 'test/shapes/letters.yaml'),
  ...EXAMPLES.map((name) => join(ROOT, 'examples', `${name}.yaml`)),
];

/**
 * Returns the root of one copy of the project with the descriptors of the suite and of examples/,
 * generated and built once for all files of a run. Tests serve it and change nothing in it.
 */
export function sharedProject(): Promise<string> {
  return onceInRun('shared', async (folder) => {
    const project = await copyProject(DESCRIPTORS, { folder: join(folder, 'project') });
    // Here, where it may take its time: a server has to be up within a minute.
    const { code, stdout, stderr } = await project.npm('build');
    if (code !== 0) throw new Error(`npm run build ended with ${code}:\n${stdout}\n${stderr}`);
    return project.root;
  });
}
