import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Builds dist/ once for a run: black-box tests start the server as a user does. Nothing to do where it is current. */
export default function buildOnce(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const script = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));
  if (!existsSync(script)) return;
  const { status } = spawnSync(process.execPath, [script], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`scripts/build.mjs ended with ${status}: nothing to test.`);
}
