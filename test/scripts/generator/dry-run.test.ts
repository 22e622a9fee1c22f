import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createProject, thing } from './project.js';

const things = (lines: string) => thing(`description: "Things ÄÖ 中文 😀"\nproperties:\n${lines}`);

it('--dry-run prints a patch; git applies it to what generate would write', async () => {
  const project = await createProject({
    'things.yaml': things('  text: { type: string, default: "" }'),
    'others.yaml': 'capability: urn:example:others\n',
  });
  // All additions, then all kinds, then one whose last line of context is blank.
  await applies(project.root, (await project.generate({ dryRun: true })).stdout);
  expect((await project.generate({ check: true })).stdout).toMatch(/current/);

  await project.remove('capabilities/others.yaml');
  await project.write('capabilities/more.yaml', 'capability: urn:example:more\n');
  const lines =
    '  text: { type: string, default: "\\\\ \u2028" }\n  n: { type: integer, default: 0 }';
  await project.write('capabilities/things.yaml', things(lines));
  const { code, stdout } = await project.generate({ dryRun: true });
  expect(code).toBe(0);
  expect(stdout).toContain('--- /dev/null\n+++ b/generated/more/capability.ts\n');
  expect(stdout).toContain('--- a/generated/others/capability.ts\n+++ /dev/null\n');
  expect(stdout).toContain('--- a/generated/registry.ts\n+++ b/generated/registry.ts\n');
  await applies(project.root, stdout);
  expect((await project.generate()).stdout).toBe('0 written, 0 removed.\n');

  await project.write('capabilities/things.yaml', things(`${lines}\nsort: [n]`));
  await applies(project.root, (await project.generate({ dryRun: true })).stdout);
  expect((await project.generate()).stdout).toBe('0 written, 0 removed.\n');
});

async function applies(cwd: string, patch: string): Promise<void> {
  const running = promisify(execFile)('git', ['apply', '-'], { cwd });
  running.child.stdin?.end(patch);
  await running;
}
