/** The hook file of rights.yaml. */
export const HOOKS = `
export const hooks = {
  methods: {
    'List/count': async ({ accountId }) => ({ accountId }),
    'List/tidy': async ({ accountId }) => ({ accountId }),
  },
};
`;
