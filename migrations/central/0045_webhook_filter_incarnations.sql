-- Filters saved before they named incarnations mean the stores of those ids today.
UPDATE `webhook_endpoints` SET `store_seqs` = (
  SELECT json_group_array(`stores`.`seq`) FROM json_each(`webhook_endpoints`.`stores`) AS `listed`
  JOIN `stores` ON `stores`.`id` = `listed`.`value`
) WHERE `stores` IS NOT NULL;
