import { appendFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** A thread that can't open the database; it leaves a mark of each start. */
appendFileSync(`${workerData.file}.starts`, 'x');
throw new Error('unable to open database file');
