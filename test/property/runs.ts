/** Random cases of one property in an ordinary run. */
const ordinaryRuns = 2000;

/**
 * How often a property is tried: the `numRuns` of fast-check. `PROPERTY_RUNS` sets it for all properties alike
 * (`npm run test:soak`: 20,000); a cheap property takes a multiple of it.
 */
export function runs(multiple = 1): { readonly numRuns: number } {
  return { numRuns: propertyRuns(process.env) * multiple };
}

/** @throws when `PROPERTY_RUNS` is no positive whole number */
export function propertyRuns(env: Readonly<NodeJS.ProcessEnv>): number {
  const { PROPERTY_RUNS: value } = env;
  if (value === undefined || value === '') return ordinaryRuns;
  const count = Number(value);
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`PROPERTY_RUNS is no positive number: ${value}`);
  return count;
}

/** Time limit of a property, in milliseconds: it grows with the number of cases. */
export function propertyTimeout(env: Readonly<NodeJS.ProcessEnv>): number {
  return Math.max(1, propertyRuns(env) / ordinaryRuns) * 60_000;
}
