import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into a server under fuzz: at SIGUSR2 all garbage is collected, so that what is measured
 * then is what stays.
 */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => collect());
