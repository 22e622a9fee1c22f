import { afterAll, beforeAll, describe } from 'vitest';
import { join } from 'node:path';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { type RunningServer, startServer, ROOT } from '../support/server.js';
import { copyProject } from '../support/project.js';
import { conformance } from './cases/all.js';
import { describedWorld } from './descriptor.js';
import { Suite } from './suite.js';

describe('x', () => {
  const world = describedWorld('../../capabilities/todos.yaml', '../language/names.yaml');
  let server: RunningServer | undefined;
  let made: Fixtures | undefined;
  beforeAll(async () => {
    const project = await copyProject([join(ROOT, 'test/language/names.yaml')]);
    const { code, stdout, stderr } = await project.npm('build');
    if (code !== 0) throw new Error(stdout + stderr);
    server = await startServer({ project: project.root, env: {} });
    made = await makeFixtures(server);
  }, 300_000);
  afterAll(() => server?.remove());
  const fixtures = (): Fixtures => made as Fixtures;
  for (const name of ['Card', 'Bare']) conformance(new Suite(world, name, fixtures));
});
