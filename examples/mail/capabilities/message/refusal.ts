/** The errors of RFC 8621 and RFC 8620 that a message or the name of a header field can earn. */
export type RefusalType =
  | 'blobNotFound'
  | 'invalidArguments'
  | 'invalidEmail'
  | 'invalidProperties'
  | 'tooLarge';

/** The members of a refusal beside its type. */
export interface RefusalMembers {
  /** Properties that are wrong; one within a body part has its path: `bodyStructure/partId`. */
  readonly properties?: readonly string[];
  /** Ids of blobs that don't exist. */
  readonly notFound?: readonly string[];
}

/** The one error that the modules of this folder throw. */
export class MessageRefusal extends Error {
  readonly type: RefusalType;
  readonly properties: readonly string[];
  readonly notFound: readonly string[];

  constructor(type: RefusalType, description: string, members: RefusalMembers = {}) {
    super(description);
    this.name = 'MessageRefusal';
    this.type = type;
    this.properties = members.properties ?? [];
    this.notFound = members.notFound ?? [];
  }
}
