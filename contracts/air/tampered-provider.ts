import { pactPath, readPact } from '../support/pact-file.ts';
import type { Provider } from '../support/provider.ts';
import { tamperedMessages } from '../support/tampering.ts';
import { provider as agent } from './air-provider.ts';
import { breaking, harmless } from './air-tamperings.ts';

const pact = readPact(pactPath('air', agent.name));

/** The agent, and the agent with its frames tampered with, for the proof that the contract notices it. */
export const provider: Provider = {
  ...agent,
  messages: {
    ...agent.messages,
    ...tamperedMessages(agent, pact, breaking),
    ...tamperedMessages(agent, pact, harmless),
  },
};
