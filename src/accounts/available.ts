import { Prisma } from '../../build/prisma/engine-sqlite/client.js';
import { UnavailableError } from '../protocol/errors.js';

/**
 * Turns failures of the database into what clients are told to try again after. `rows` names what
 * could not be read or written. The log gets the words of a failure, so it gets none of a statement
 * that Prisma refuses: they hold all of its values.
 */
export async function available<T>(rows: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Prisma.PrismaClientValidationError)
      throw new Error(`Prisma refuses a statement on ${rows}.`);
    if (!(error instanceof Error) || !/^(PrismaClient|DriverAdapter)/.test(error.name)) throw error;
    const message = `The ${rows} could not be read or written.`;
    throw new UnavailableError(message, { cause: error });
  }
}
