import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { copyProject, type ProjectCopy } from '../support/project.js';
import { type RunningServer, startServer } from '../support/server.js';
import { allCases } from './cases/all.js';
import { describedCases } from './cases/described.js';
import { gadgetBlobCases } from './cases/gadget-blobs.js';
import { gadgetNeighbourCases } from './cases/gadget-neighbours.js';
import { gadgetPatchCases } from './cases/gadget-patch.js';
import { gadgetQueryCases } from './cases/gadget-query.js';
import { gadgetReferenceCases } from './cases/gadget-references.js';
import { gadgetSetCases } from './cases/gadget-sets.js';
import { describedType } from './descriptor.js';
import { GADGET, Suite } from './suite.js';

// A type that this repository has never seen (case 606): a descriptor, `npm run generate`, and the same answers.
const descriptor = fileURLToPath(new URL('gadget.yaml', import.meta.url));

let project: ProjectCopy | undefined;
let server: RunningServer | undefined;
let made: Fixtures | undefined;

beforeAll(async () => {
  project = await copyProject([descriptor]);
  server = await startServer({ project: project.root });
  made = await makeFixtures(server);
}, 180_000);

afterAll(async () => {
  await server?.remove();
  await project?.remove();
});

const suite = new Suite(GADGET, () => {
  if (made === undefined) throw new Error('Fixtures are there inside tests only.');
  return made;
});

allCases(suite);
gadgetPatchCases(suite);
gadgetQueryCases(suite);
gadgetBlobCases(suite);
gadgetReferenceCases(suite);
gadgetSetCases(suite);
gadgetNeighbourCases(suite);
describedCases(suite, describedType('gadget.yaml', 'Gadget'));
