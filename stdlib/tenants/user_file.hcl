authentication "sha256_password" {
  secret_file = each.value.secret.name
}

roles = ["${each.key}__reader"]
