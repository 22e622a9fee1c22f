import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PACKAGE } from './build-layout.mjs';

/**
 * A server of `jmapsmith dev`, in a process of its own. It waits with the engine loaded, so that it
 * soon serves when a file changes. dev.mjs tells it what to do:
 *
 * - `{ load: true }`: loads the project's modules, while the server before it serves. The answer is
 *   `{ loaded: true }` or `{ failed }`.
 * - `{ serve: port }`: serves, as `jmapsmith start` does; null: on the port of the environment.
 * - `{ stop: true }`: stops, also where the system knows no signals.
 */

const MAIN = moduleURL('src/server/main');

/** Loaded while nothing is to be done. */
const engine = Promise.all([
  import(moduleURL('src/server/start')),
  import(moduleURL('src/server/project')),
]);

process.on('message', async (message) => {
  if (message.load === true) process.send(await loadProject());
  else if (message.stop === true) stop();
  else await serve(message.serve);
});

// Without dev.mjs nobody would end this server.
process.on('disconnect', stop);

// The terminal sends Ctrl-C to this process too: dev.mjs ends it.
process.on('SIGINT', () => undefined);

function moduleURL(module) {
  return pathToFileURL(join(PACKAGE, 'dist', `${module}.js`)).href;
}

async function loadProject() {
  const [, project] = await engine;
  const { requireHooks } = await import(moduleURL('src/hooks/required'));
  const { createRegistry } = await import(moduleURL('src/methods/registry'));
  try {
    const { registry } = await project.loadProject(process.cwd());
    requireHooks(createRegistry(registry));
    return { loaded: true };
  } catch (error) {
    const isKnown = ['ProjectError', 'MissingHookError'].includes(error.name);
    return { failed: isKnown ? error.message : (error.stack ?? String(error)) };
  }
}

async function serve(port) {
  await engine;
  process.removeAllListeners('SIGINT');
  if (port !== null) process.env.PORT = port;
  process.argv = [process.argv[0], fileURLToPath(MAIN)];
  await import(MAIN);
}

/** A server that serves finishes what runs. */
function stop() {
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(0);
}
