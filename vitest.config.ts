import { defineConfig } from 'vitest/config';
import { propertyTimeout } from './test/property/runs.ts';

/** Cases of each property in a soak run (`npm run test:soak`). */
const soakRuns = '20000';

/** One project per kind of test (docs/architecture.md, "Tests"); `npx vitest run --project unit` runs one kind. */
export default defineConfig(({ mode }) => {
  const propertyEnv = {
    PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? (mode === 'soak' ? soakRuns : ''),
  };
  return {
    test: {
      passWithNoTests: false,
      projects: [
        {
          test: {
            name: 'unit',
            include: ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts'],
            testTimeout: 10_000,
            // Unit tests share no global state; loading the sources once per worker halves their time.
            isolate: false,
          },
        },
        {
          test: {
            name: 'property',
            include: ['test/property/**/*.test.ts'],
            env: propertyEnv,
            testTimeout: propertyTimeout(propertyEnv),
            isolate: false,
          },
        },
        {
          test: {
            name: 'contract',
            include: ['contracts/**/*.test.ts'],
            testTimeout: 60_000,
            fileParallelism: false,
            sequence: { groupOrder: 1 },
          },
        },
        {
          test: {
            name: 'integration',
            include: ['test/integration/**/*.test.ts'],
            testTimeout: 60_000,
            hookTimeout: 60_000,
            globalSetup: ['test/support/build-agent.ts'],
            maxWorkers: 4,
            sequence: { groupOrder: 2 },
          },
        },
        {
          test: {
            name: 'conformance',
            include: ['test/conformance/**/*.test.ts'],
            testTimeout: 60_000,
            hookTimeout: 60_000,
            globalSetup: ['test/support/build-agent.ts'],
            maxWorkers: 4,
            sequence: { groupOrder: 2 },
          },
        },
      ],
    },
  };
});
