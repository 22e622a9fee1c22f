import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

const LAUNCHER = pathToFileURL(join(import.meta.dirname, '../../scripts/launcher.mjs')).href;

/** A process that would stay, and says which signal ended it; as `npx` starts it: from a shell. */
const SERVER = `
  import { endWithLauncher } from ${JSON.stringify(LAUNCHER)};
  process.on('SIGTERM', () => { console.log('SIGTERM'); process.exit(); });
  process.stdin.on('data', () => setTimeout(() => { console.log('stayed'); process.exit(); }, 50));
  endWithLauncher(process.env, 1);
  console.log('up');
`;

/** Returns the words of the process after the shell between it and its launcher was killed. */
async function afterShellEnds(event: string): Promise<string> {
  const env = { ...process.env, npm_lifecycle_event: event, SERVER };
  // A shell with one command might become that command: the second keeps it.
  const command = 'node --input-type=module -e "$SERVER" <&3; true';
  const stdio = ['ignore', 'pipe', 'inherit', 'pipe'] as const;
  const shell = spawn('sh', ['-c', command], { env, stdio: [...stdio] });
  const { stdout, stdio: pipes } = shell;
  const input = pipes[3];
  if (stdout === null || input === null || input === undefined || !('write' in input))
    throw new Error('There is no pipe.');
  let said = '';
  stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(stdout, 'data');
  shell.kill('SIGKILL');
  // One that is not to end by itself is asked to, or this would wait for ever.
  if (event !== 'npx' && event !== 'start') input.write('end\n');
  await once(shell, 'close');
  return said;
}

describe.skipIf(process.platform === 'win32')('a server that npx or npm start started', () => {
  it.each(['npx', 'start'])('ends when its launcher does (%s)', async (event) => {
    expect(await afterShellEnds(event)).toBe('up\nSIGTERM\n');
  });

  it('stays when a script of another name put it into the background', async () => {
    expect(await afterShellEnds('serve')).toBe('up\nstayed\n');
  });
});
