/** Why a process that still exists is on its way out. */
export type LeaveReason =
  /** It died, or it is stopped because it no longer works. */
  | 'crashed'
  /** It did not take the introduction; counted as a crash already (S8.35). */
  | 'introductionFailed'
  /** It is stopped so that another can take its place (S8.19). */
  | 'replaced'
  /** The agent ends (S8.11). */
  | 'shutdown';

/** Life of the app-server connection, over all processes. */
export type SupervisorState =
  /** No process; the next need starts one (S8.30). */
  | { readonly type: 'down' }
  /** About to start one: the crash limit is checked and the back-off waited for. */
  | { readonly type: 'preparing' }
  /** `silent` until the ACP client's facts are known (S8.34). */
  | { readonly type: 'up'; readonly epoch: number; readonly phase: 'silent' | 'introducing' | 'ready' }
  /** The process is not used any more; its exit record is still to come. */
  | { readonly type: 'leaving'; readonly epoch: number; readonly introduced: boolean; readonly reason: LeaveReason }
  | { readonly type: 'closed'; readonly reason: 'runtimeMissing' | 'stopped' };

export type SupervisorInput =
  /** Somebody waits for a process that is ready. */
  | { readonly type: 'need' }
  /** The start is early: nobody waits (S8.3). */
  | { readonly type: 'start' }
  | { readonly type: 'permitted' }
  | { readonly type: 'notStarted' }
  | { readonly type: 'spawned'; readonly epoch: number }
  | { readonly type: 'introduced'; readonly epoch: number }
  | { readonly type: 'introductionFailed'; readonly epoch: number }
  | { readonly type: 'dead'; readonly epoch: number }
  /** The exit record is there. `wanted`: somebody waits for the next process. */
  | { readonly type: 'gone'; readonly epoch: number; readonly wanted: boolean; readonly runtimeMissing: boolean }
  | { readonly type: 'replace'; readonly reason: 'crashed' | 'replaced' }
  | { readonly type: 'stop' };

export type SupervisorEffect =
  /** Check the crash limit, wait for the back-off, then report `permitted` or `notStarted`. */
  | 'prepare'
  | 'cancelPreparation'
  | 'spawn'
  /** Send the handshake, if the facts for it are known. */
  | 'introduce'
  /** Stop the process: it failed. */
  | 'giveUpProcess'
  /** Stop the process on purpose. */
  | 'stopProcess'
  /** Those who wait for the running process can go on. */
  | 'release'
  /** Nothing will ever start again: those who wait hear it. */
  | 'refuse';

export interface SupervisorStep {
  readonly state: SupervisorState;
  readonly effects: readonly SupervisorEffect[];
}

/**
 * The transition function of the supervisor. An input that does not fit the state, such as news of an older process,
 * changes nothing.
 */
export function supervise(state: SupervisorState, input: SupervisorInput, canIntroduce: boolean): SupervisorStep {
  switch (input.type) {
    case 'start':
      return state.type === 'down' ? to({ type: 'preparing' }, 'prepare') : same(state);
    case 'need':
      return need(state, canIntroduce);
    case 'permitted':
      return state.type === 'preparing' ? same(state, 'spawn') : same(state);
    case 'notStarted':
      return state.type === 'preparing' ? to({ type: 'down' }) : same(state);
    case 'spawned':
      if (state.type !== 'preparing') return same(state);
      return canIntroduce
        ? to({ type: 'up', epoch: input.epoch, phase: 'introducing' }, 'introduce')
        : to({ type: 'up', epoch: input.epoch, phase: 'silent' }, 'release');
    case 'introduced':
      return isIntroducing(state, input.epoch)
        ? to({ type: 'up', epoch: input.epoch, phase: 'ready' }, 'release')
        : same(state);
    case 'introductionFailed':
      return isIntroducing(state, input.epoch)
        ? to(leaving(state, 'introductionFailed'), 'giveUpProcess')
        : same(state);
    case 'dead':
      return state.type === 'up' && state.epoch === input.epoch ? to(leaving(state, 'crashed')) : same(state);
    case 'gone':
      return gone(state, input);
    case 'replace':
      if (state.type !== 'up') return same(state);
      return to(leaving(state, input.reason), input.reason === 'crashed' ? 'giveUpProcess' : 'stopProcess');
    case 'stop':
      return stop(state);
  }
}

function need(state: SupervisorState, canIntroduce: boolean): SupervisorStep {
  switch (state.type) {
    case 'down':
      return to({ type: 'preparing' }, 'prepare');
    case 'up':
      if (state.phase === 'introducing') return same(state);
      if (state.phase === 'silent' && canIntroduce) return to({ ...state, phase: 'introducing' }, 'introduce');
      return same(state, 'release');
    case 'leaving':
      return state.reason === 'shutdown' ? same(state, 'refuse') : same(state);
    case 'preparing':
      return same(state);
    case 'closed':
      return same(state, 'refuse');
  }
}

function gone(state: SupervisorState, input: Extract<SupervisorInput, { type: 'gone' }>): SupervisorStep {
  if (state.type !== 'leaving' || state.epoch !== input.epoch) return same(state);
  if (state.reason === 'shutdown') return to({ type: 'closed', reason: 'stopped' }, 'refuse');
  if (input.runtimeMissing) return to({ type: 'closed', reason: 'runtimeMissing' }, 'refuse');
  return input.wanted ? to({ type: 'preparing' }, 'prepare') : to({ type: 'down' });
}

function stop(state: SupervisorState): SupervisorStep {
  switch (state.type) {
    case 'up':
      return to(leaving(state, 'shutdown'), 'stopProcess');
    case 'leaving':
      return to({ ...state, reason: 'shutdown' });
    case 'preparing':
      return to({ type: 'closed', reason: 'stopped' }, 'cancelPreparation', 'refuse');
    case 'down':
    case 'closed':
      return to({ type: 'closed', reason: 'stopped' });
  }
}

type Up = Extract<SupervisorState, { type: 'up' }>;

const leaving = (state: Up, reason: LeaveReason): SupervisorState => ({
  type: 'leaving',
  epoch: state.epoch,
  introduced: state.phase === 'ready',
  reason,
});

function isIntroducing(state: SupervisorState, epoch: number): state is Up {
  return state.type === 'up' && state.epoch === epoch && state.phase === 'introducing';
}

const to = (state: SupervisorState, ...effects: readonly SupervisorEffect[]): SupervisorStep => ({ state, effects });
const same = to;
