import { register } from 'tsx/esm/api';

/** The generator's second thread from its sources, which Node alone can't run. */
register();
await import('../../../scripts/generator/thread/worker.ts');
