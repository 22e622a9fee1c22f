import { useServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { idsSuite } from './ids-suite.js';
import { SIGNS } from './world.js';

// All places are named in the long tier.
idsSuite(
  useServer(async () => ({ project: await sharedProject(), env: SIGNS })),
  1,
);
