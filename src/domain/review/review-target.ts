/** What a review is about (S3.113). */
export type ReviewTarget =
  | { readonly type: 'uncommittedChanges' }
  | { readonly type: 'custom'; readonly instructions: string }
  | { readonly type: 'baseBranch'; readonly branch: string }
  | { readonly type: 'commit'; readonly sha: string };
