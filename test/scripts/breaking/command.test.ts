import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

function breaking(root: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...['--import', 'tsx/esm', '--conditions=jmapsmith-source', 'scripts/breaking.ts'],
      ...['--root', root, ...args],
    ],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

it('npm run breaking compares with a commit: exit code 0, 1 or 2, as text or JSON', () => {
  const root = mkdtempSync(join(tmpdir(), 'jmapsmith-breaking-test-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync('capabilities/todos.yaml', join(root, 'capabilities/todos.yaml'));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: root,
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  expect(breaking(root, '--against', 'HEAD')).toMatchObject({
    status: 0,
    stdout: '0 changes since HEAD, 0 of them breaking.\n',
  });
  expect(breaking(root, '--against', 'nowhere')).toMatchObject({
    status: 2,
    stderr: 'breaking: --against nowhere: no commit, tag or branch of this repository.\n',
  });
  const file = join(root, 'capabilities/todos.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('Todo', 'Task'));
  const { status, stdout } = breaking(root, '--against', 'HEAD', '--format', 'json');
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toContainEqual({
    layer: 'wire',
    breaking: true,
    where: 'Todo',
    what: 'type removed',
  });
});
