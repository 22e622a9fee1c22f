import { afterAll, beforeAll } from 'vitest';
import { conformance } from '../conformance/cases/all.js';
import { describedWorld } from '../conformance/descriptor.js';
import { Suite } from '../conformance/suite.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';

// A type with optional, undeclared and constant properties, rules, and references within values.
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
conformance(new Suite(describedWorld('../language/deals.yaml'), 'Deal', fixtures));
// A type with counts, sums, least and greatest values of another one.
for (const type of ['Box', 'Message'])
  conformance(new Suite(describedWorld('../language/messages.yaml'), type, fixtures));
