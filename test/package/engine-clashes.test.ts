import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProject } from '../scripts/generator/project.js';
import { ROOT } from '../support/server.js';

/** Descriptors that use names of the engine; each is read before the engine's own. */
const DESCRIPTORS = Object.freeze({
  'admins.yaml': `capability: urn:example:admins
types:
  AdminToken:
    standardMethods: [query]
    properties:
      name: { type: string, default: '' }
`,
  'archive.yaml': `capability: urn:example:archive
types:
  Blob:
    standardMethods: [get, set]
    properties:
      name: { type: string, default: '' }
`,
  'basics.yaml': 'capability: urn:ietf:params:jmap:core\n',
  'beeps.yaml': `capability: urn:example:beeps
methods:
  Core/echo:
    account: none
    arguments: { type: object }
    response: { type: object }
`,
});

it('a name that the engine has already is an error at the line of the team', async () => {
  const { root } = await createProject(DESCRIPTORS);
  const { code, stderr } = await generate(root);
  expect(stderr.split('\n').filter((line) => line.startsWith('capabilities/'))).toEqual([
    'capabilities/admins.yaml:3:3: no type can be named AdminToken: the engine has ' +
      'AdminToken/get, AdminToken/changes, AdminToken/set of its own. Rename the type; leaving ' +
      'these methods out by standardMethods is not enough.',
    'capabilities/archive.yaml:3:3: no type can be named Blob: the engine has Blob/get, ' +
      'Blob/copy of its own. Rename the type; leaving these methods out by standardMethods is ' +
      'not enough.',
    'capabilities/basics.yaml:1:13: the capability urn:ietf:params:jmap:core is described in ' +
      'node_modules/jmapsmith/capabilities/core.yaml:2:13 already; each has one descriptor.',
    'capabilities/beeps.yaml:3:3: the method Core/echo clashes with Core/echo, which the engine ' +
      'has of its own (node_modules/jmapsmith/capabilities/core.yaml:8:3); rename it.',
  ]);
  expect(stderr).toContain('4 errors; nothing was written.');
  expect(code).toBe(2);
});

/** Runs `npx jmapsmith generate` in a team's project. */
function generate(cwd: string): Promise<{ readonly code: unknown; readonly stderr: string }> {
  return new Promise((resolve) => {
    const args = [join(ROOT, 'bin/jmapsmith.mjs'), 'generate'];
    execFile(process.execPath, args, { cwd }, (error, _stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stderr });
    });
  });
}
