import { useServer } from '../support/server.js';
import { scopedSuite } from './scoped-suite.js';

scopedSuite(useServer());
