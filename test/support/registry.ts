import * as generated from '../../generated/registry.js';
import { capabilitiesOf } from '../../src/server/project.js';

/** The capabilities of this repository's own project. */
export const registry = capabilitiesOf(generated);
