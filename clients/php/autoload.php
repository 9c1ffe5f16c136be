<?php

// Loads the classes without Composer, for example in a WordPress plugin.

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Tenancy\\')) {
        return;
    }
    $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, strlen('Tenancy\\'))) . '.php';
    if (is_file($file)) {
        require $file;
    }
});
