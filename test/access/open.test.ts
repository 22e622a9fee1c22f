import { useServer } from '../support/server.js';
import { openSuite } from './open-suite.js';

openSuite(useServer());
