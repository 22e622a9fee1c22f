import { existsSync, realpathSync } from 'node:fs';
import { join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nodeFileTrace } from '@vercel/nft';
import { PACKAGE, TEAM } from './build-layout.mjs';
import { SERVER_TOOLS } from './server-tools.mjs';

/** The module that loads the client of S3; a server finds out that it is missing. */
const S3 = 'src/blobs/s3.js';

/** The modules that a thread of the engine begins with. */
const THREADS = ['src/store/sqlite/scans/worker'];

/**
 * Returns the real paths of the modules that a server of the project in `root` may load: of the
 * project, of this package, and of the packages that they import.
 */
export async function traceServer(root, withS3) {
  const left = withS3 ? undefined : join(PACKAGE, 'dist', S3);
  const { root: base } = parse(PACKAGE);
  const { fileList } = await nodeFileTrace(await entries(root), {
    base,
    processCwd: root,
    ts: false,
    ignore: (file) => join(base, file) === left,
    // Packages are copied whole: which files they open is not asked.
    analysis: { emitGlobs: false, computeFileReferences: false },
  });
  return new Set([...fileList].map((file) => realpathSync(join(base, file))));
}

/** Loads the engine's compiled module that chooses the driver of SQLite. */
export function loadDriver() {
  const driver = join(PACKAGE, 'dist', 'src', 'database', 'sqlite', 'driver.js');
  return import(pathToFileURL(driver).href);
}

/**
 * The modules that are loaded by a computed name: threads', tools', the project's, the driver's.
 */
async function entries(root) {
  const tools = Object.values(SERVER_TOOLS).map(({ entry }) => entry);
  const project = join(root, TEAM.out);
  // The driver for the Node that runs the build.
  const { DRIVER_PATH } = await loadDriver();
  return [
    ...(DRIVER_PATH === null ? [] : [DRIVER_PATH]),
    join(PACKAGE, 'scripts', 'serve-standalone.mjs'),
    ...['src/server/main', ...THREADS, ...tools].map((entry) =>
      join(PACKAGE, 'dist', `${entry}.js`),
    ),
    join(project, 'generated', 'registry.js'),
    ...['sqlite', 'postgresql']
      .map((database) => join(project, 'build', 'prisma', database, 'client.js'))
      .filter((file) => existsSync(file)),
  ];
}
