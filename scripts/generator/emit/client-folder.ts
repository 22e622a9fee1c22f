/** The folder of the typed client. */
export const CLIENT_FOLDER = 'generated/client';

/** The package that generated clients import. */
export const CLIENT_PACKAGE = '@jmapsmith/client';
