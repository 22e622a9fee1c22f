import { UnavailableError } from '../protocol/errors.js';

/**
 * Turns failures of the database into UnavailableError: clients are told to try again. An error of
 * another kind stays as it is.
 */
export async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !/^(PrismaClient|DriverAdapter)/.test(error.name)) throw error;
    throw new UnavailableError('The access tables could not be read or written.', {
      cause: error.name.startsWith('PrismaClientValidation') ? undefined : error,
    });
  }
}
