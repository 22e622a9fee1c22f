/**
 * The property, and its column, that holds the id of the user who created an object. A type has it
 * where an access rule is about that user.
 */
export const CREATOR = 'jmap_creator';
