import { useServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { idsSuite } from './ids-suite.js';

idsSuite(useServer(async () => ({ project: await sharedProject() })));
