import { parentPort } from 'node:worker_threads';
import { type Job, type Outcome, work } from './jobs.js';

/** The second thread's own module: does what it is sent, in that order. */

function answer(outcome: Outcome): void {
  parentPort?.postMessage(outcome);
}

parentPort?.on('message', (job: Job) => {
  work(job).then(
    (value) => answer({ id: job.id, value }),
    (error: unknown) => answer({ id: job.id, error }),
  );
});
