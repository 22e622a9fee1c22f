import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { emptyFolder } from '../../test/package/pack.js';
import { makeUser } from '../../test/support/fixtures.js';
import { ROOT, useServer } from '../../test/support/server.js';

const run = promisify(execFile);
const server = useServer();

it('the packed runner works alone in a folder of another name', async () => {
  const { root, remove } = await emptyFolder();
  onTestFinished(remove);
  const { token } = await makeUser(server(), 'packed');
  const pack = ['pack', '--silent', '--pack-destination', root];
  const { stdout } = await run('npm', pack, { cwd: join(ROOT, 'conform') });
  const folder = join(root, 'node_modules/@jmapsmith/conform');
  await mkdir(folder, { recursive: true });
  const tarball = join(root, stdout.trim().split('\n').at(-1) ?? '');
  await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components', '1']);
  // The packages that npm would install beside it, and no others.
  const text = await readFile(join(folder, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link, 'dir');
  }
  const main = join(folder, 'dist/conform/src/main.js');
  const options = ['--url', server().url, '--token', token, '--type', 'Todo', '--section', '5.2'];
  const report = await run(process.execPath, [main, ...options], { cwd: root });
  expect(report.stdout).toMatch(/^ok {6}RFC 8620 5\.2: [1-9]\d+ passed, 0 failed/m);
});
