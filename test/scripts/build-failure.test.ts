import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const TOOLS = pathToFileURL(join(import.meta.dirname, '../../scripts/build-tools.mjs')).href;

/** Returns the words of a build about a failure, and its exit code. */
function reportOf(failure: string) {
  const program = `
    import { writeFileSync } from 'node:fs';
    import { reportFailure } from ${JSON.stringify(TOOLS)};
    try { ${failure} } catch (error) { process.exitCode = reportFailure(error); }`;
  const args = ['--input-type=module', '-e', program];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return [status, stderr];
}

it('tells in a line what the file system refuses, and traces only defects', () => {
  const [status, stderr] = reportOf("writeFileSync('/nowhere/there', '')");
  expect([status, stderr]).toEqual([
    1,
    "build: ENOENT: no such file or directory, open '/nowhere/there'\n",
  ]);
  expect(reportOf("throw new Error('a defect')")).toEqual([70, expect.stringContaining('    at ')]);
});
