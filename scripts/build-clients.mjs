import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './build-layout.mjs';
import { inputFiles, readStamp, stampOf, writeStamp } from './build-stamp.mjs';
import { BuildError, runTool, say } from './build-tools.mjs';

/** The databases whose Prisma client is not what their schema says. */
export function clientsToGenerate(root, layout = REPOSITORY) {
  return inputFiles(root, layout)
    .filter((file) => file.endsWith('/schema.prisma'))
    .map((schema) => {
      const database = schema.split('/')[1];
      return {
        database,
        schema,
        // A new version of Prisma (the lock file) may write another client.
        stamp: stampOf(
          root,
          [schema, 'package-lock.json'].filter((file) => existsSync(join(root, file))),
          layout.version(),
        ),
        folder: join(root, 'build', 'prisma', database),
        file: join(root, 'build', `prisma-${database}.stamp`),
      };
    })
    .filter((client) => !existsSync(client.folder) || readStamp(client.file) !== client.stamp);
}

/**
 * Generates them, at the same time; only that of `database` if it is given. The caller has the
 * build lock.
 */
export async function generateClients(root, layout = REPOSITORY, database = undefined) {
  const clients = clientsToGenerate(root, layout).filter(
    (client) => database === undefined || client.database === database,
  );
  if (clients.length === 0) return;
  say(`Prisma clients (${clients.map((client) => client.database).join(', ')})`);
  await Promise.all(clients.map((client) => generateClient(root, client)));
}

async function generateClient(root, { schema, folder, file, stamp }) {
  rmSync(file, { force: true });
  rmSync(folder, { recursive: true, force: true });
  const { code, output } = await runTool(root, 'prisma/build/index.js', [
    'generate',
    '--schema',
    schema,
    '--no-hints',
  ]);
  if (code !== 0) throw new BuildError(`prisma generate failed for ${schema}:\n${output}`, 70);
  writeStamp(file, stamp);
}
