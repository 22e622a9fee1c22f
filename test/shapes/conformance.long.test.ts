import { afterAll, beforeAll } from 'vitest';
import { conformance } from '../conformance/cases/all.js';
import { describedWorld } from '../conformance/descriptor.js';
import { Suite } from '../conformance/suite.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';

// Types whose results collapse or are trees, and one with answered properties.
let server: RunningServer | undefined;
let made: Fixtures | undefined;

beforeAll(async () => {
  server = await startServer({ project: await sharedProject() });
  made = await makeFixtures(server);
}, 600_000);

afterAll(async () => {
  await server?.remove();
});

const fixtures = (): Fixtures => {
  if (made === undefined) throw new Error('Fixtures are there inside tests only.');
  return made;
};
for (const type of ['Folder', 'Mail'])
  conformance(new Suite(describedWorld('../shapes/folders.yaml'), type, fixtures));
for (const type of ['Label', 'Letter'])
  conformance(new Suite(describedWorld('../shapes/letters.yaml'), type, fixtures));
