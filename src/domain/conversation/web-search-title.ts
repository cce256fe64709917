import type { WebSearchItem } from '../thread/thread-item.ts';

/** Title of a web search's tool call (S4.81). */
export function webSearchTitle(item: WebSearchItem): string {
  const { action } = item;
  switch (action?.type) {
    case undefined:
      return titled('Web search', item.query);
    case 'search':
      return titled('Web search', action.query || joined(action.queries) || item.query);
    case 'openPage':
      return titled('Open page', action.url);
    case 'findInPage': {
      const pattern = action.pattern ? ` for '${action.pattern}'` : '';
      return `Find in page${pattern}${action.url ? ` in ${action.url}` : ''}`;
    }
    case 'other':
      return 'Web search';
  }
}

function titled(title: string, subject: string | null): string {
  return subject ? `${title}: ${subject}` : title;
}

function joined(queries: readonly string[] | null): string {
  return (queries ?? []).filter((query) => query !== '').join(', ');
}
