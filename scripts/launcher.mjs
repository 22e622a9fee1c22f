/** How often it is looked whether the launcher is still there, in milliseconds. */
const INTERVAL = 500;

/**
 * Ends this process when the `npx` or `npm start` that it was started by ends. These put a shell
 * between themselves and us: a SIGTERM to them ends them and the shell, and no signal reaches us.
 * Left behind we would hold the port and the lock of the database. A server started otherwise is
 * nobody's to end: whoever puts a server into the background in a script of another name means it
 * to stay.
 */
export function endWithLauncher(env = process.env, interval = INTERVAL) {
  if (env.npm_lifecycle_event !== 'npx' && env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, interval);
  timer.unref();
}
